// SPDX-License-Identifier: Apache-2.0
// One classic script and one style sheet, to be put into the page (cmake/page.cmake).
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    lib: { entry: "src/charts.js", name: "warpwrightCharts", formats: ["iife"], fileName: () => "charts.js", cssFileName: "charts" },
    sourcemap: false,
  },
});
