import { existsSync } from 'node:fs'

// A checkout has the source; the package that npm installs has it compiled.
const source = new URL('../src/main.ts', import.meta.url)
const { main } = await import(existsSync(source) ? source.href : '../dist/mcp/src/main.js')

export { main }
