import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openapi } from './openapi.ts'

/** Writes `openapi.json`; with `--check` only tells, by its exit code, whether it is up to date. */
const file = fileURLToPath(new URL('../../../openapi.json', import.meta.url))
const text = `${JSON.stringify(openapi(), null, 2)}\n`

if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (current() !== text) {
  const name = relative(process.cwd(), file)
  console.error(`${name} differs from the schemas: run "npm run openapi" and commit the result.`)
  process.exitCode = 1
}

function current(): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
