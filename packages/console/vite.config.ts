import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { reactAriaLanguages } from './react-aria-languages.ts'

/** While it is worked on, what the server answers comes from one that runs: `fleetgate serve --demo`. */
const SERVER = 'http://127.0.0.1:7072'

export default defineConfig({
  plugins: [react(), reactAriaLanguages()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2_000,
    // The server reads in it which files the page of a link needs.
    manifest: true,
    rolldownOptions: {
      input: ['index.html', 'src/link/link-map.ts'],
      preserveEntrySignatures: 'exports-only',
    },
  },
  // The public listener serves the map's files in another folder.
  experimental: {
    renderBuiltUrl: (_, { hostType }) => (hostType === 'js' ? { relative: true } : undefined),
  },
  server: { proxy: { '/admin': { target: SERVER, changeOrigin: true } } },
})
