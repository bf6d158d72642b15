import { defineConfig } from "vite";

// The studio's audio worklet: a small script of its own, because it runs in a scope of its own.
export default defineConfig({
  build: {
    target: "es2022",
    outDir: "../src/kinesphere/export/viewer",
    emptyOutDir: false,
    lib: {
      entry: "src/studio/worklet.ts",
      formats: ["iife"],
      name: "kinesphereWorklet",
      fileName: () => "worklet.js",
    },
    reportCompressedSize: false,
  },
});
