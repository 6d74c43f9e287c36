import { defineConfig } from "vitest/config";

// One classic script and one style sheet: the report must open from a file, without a server.
export default defineConfig({
  build: {
    target: "es2022",
    outDir: "dist",
    cssCodeSplit: false,
    reportCompressedSize: false,
    lib: {
      entry: "src/main.ts",
      formats: ["iife"],
      name: "farpathReport",
      fileName: () => "report.js",
      cssFileName: "report",
    },
  },
  test: { include: ["test/**/*.test.ts"], environment: "node" },
});
