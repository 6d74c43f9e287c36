import { defineConfig } from "vite";

// The figures of docs/gallery, drawn under node by the code that draws them in the report.
export default defineConfig({
  build: {
    ssr: "gallery.ts",
    target: "node20",
    outDir: "dist-gallery",
    reportCompressedSize: false,
    rollupOptions: { output: { entryFileNames: "gallery.js" } },
  },
  // Bundled whole, so that the figure can be drawn without node_modules beside it.
  ssr: { noExternal: true },
});
