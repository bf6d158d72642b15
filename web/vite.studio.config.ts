import { defineConfig } from "vite";

// The studio's page: one classic script and one style sheet, which its server hands out.
export default defineConfig({
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    outDir: "../src/kinesphere/export/viewer",
    emptyOutDir: false,
    lib: {
      entry: "src/studio/main.ts",
      formats: ["iife"],
      name: "kinesphereStudio",
      fileName: () => "studio.js",
      cssFileName: "studio",
    },
    reportCompressedSize: false,
  },
});
