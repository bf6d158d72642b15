import { defineConfig } from "vite";

// One classic script: a page opened from a file cannot import modules.
export default defineConfig({
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    outDir: "../src/kinesphere/export/viewer",
    emptyOutDir: true,
    lib: {
      entry: "src/main.ts",
      formats: ["iife"],
      name: "kinesphereViewer",
      fileName: () => "viewer.js",
      cssFileName: "viewer",
    },
    reportCompressedSize: false,
  },
});
