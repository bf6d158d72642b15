import { defineConfig } from "vite";

/** Scripts by the mode that builds them; the last one is for the tests alone. */
const ENTRIES: Readonly<Record<string, string>> = {
  viewer: "src/take.ts",
  live: "src/live.ts",
  studio: "src/studio/main.ts",
  // It runs in a scope of its own.
  worklet: "src/studio/worklet.ts",
  vrma: "tests/vrma-page.ts",
};

// One classic script and one style sheet each: a page opened from a file cannot import modules.
export default defineConfig(({ mode }) => ({
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    outDir: mode === "vrma" ? "dist-test" : "../src/kinesphere/export/viewer",
    emptyOutDir: mode === "viewer",
    lib: {
      entry: ENTRIES[mode] ?? `no script is named ${mode}`,
      formats: ["iife"],
      name: "kinesphereScript",
      fileName: () => `${mode}.js`,
      cssFileName: mode,
    },
    reportCompressedSize: false,
  },
}));
