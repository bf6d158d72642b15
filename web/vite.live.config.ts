import { defineConfig } from "vite";

// The live page: again one classic script, which the page has inside.
export default defineConfig({
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    outDir: "../src/kinesphere/export/viewer",
    emptyOutDir: false,
    lib: {
      entry: "src/live.ts",
      formats: ["iife"],
      name: "kinesphereLive",
      fileName: () => "live.js",
      cssFileName: "live",
    },
    reportCompressedSize: false,
  },
});
