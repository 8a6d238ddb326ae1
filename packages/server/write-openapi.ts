import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openapi as adminOpenapi } from './src/faces/admin/admin-openapi.ts'
import { openapi } from './src/faces/api/documentation/openapi.ts'

/**
 * Writes the descriptions of both APIs; with `--check` only reports, by its exit code, whether they are up to date.
 */
const DESCRIPTIONS = { 'openapi.json': openapi, 'admin-openapi.json': adminOpenapi }

for (const [name, describe] of Object.entries(DESCRIPTIONS)) {
  const file = join(import.meta.dirname, name)
  const text = `${JSON.stringify(describe(), null, 2)}\n`
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
  } else if (current(file) !== text) {
    const name = relative(process.cwd(), file)
    console.error(`${name} differs from the schemas: run "npm run openapi" and commit the result.`)
    process.exitCode = 1
  }
}

function current(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
