import { defineConfig } from "vite";

// A script for the tests alone: it loads a VRM animation the way VRM applications do.
export default defineConfig({
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    outDir: "dist-test",
    lib: {
      entry: "tests/vrma-page.ts",
      formats: ["iife"],
      name: "vrmaPage",
      fileName: () => "vrma.js",
    },
    reportCompressedSize: false,
  },
});
