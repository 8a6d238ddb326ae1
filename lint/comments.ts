/**
 * `npm run lint`: comments open with their subject. Lists those that open with a clause which a reader must
 * carry to the end (`What …`, `Who …`, `Of …`), and exits with code 1 if there are any.
 */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'

const COMMENT = /\/\*\*([\s\S]*?)\*\/|^([ \t]*\/\/.*(?:\n[ \t]*\/\/.*)*)/gm
const INVERTED = /^(?:What|Who|Whose|Whom|Whoever|Whatever|Of|That)\b/
/** Generated from the descriptions of the APIs, and tests. */
const SKIPPED = /\/types\.ts$|\.test\.tsx?$/

const files = await Array.fromAsync(glob('packages/*/src/**/*.{ts,tsx}'))
const found = files
  .filter((file) => !SKIPPED.test(file))
  .sort()
  .flatMap((file) => invertedIn(file, readFileSync(file, 'utf8')))

for (const each of found) process.stderr.write(`${each}\n`)
if (found.length > 0) {
  process.stderr.write(`${found.length} comments do not open with their subject\n`)
  process.exitCode = 1
}

function invertedIn(file: string, text: string): string[] {
  return Array.from(text.matchAll(COMMENT)).flatMap(({ 0: comment, 1: block, 2: lines, index }) => {
    const words = (block ?? lines ?? '').replace(/^[ \t]*(?:\*|\/\/)+ ?/gm, '').trim()
    if (!INVERTED.test(words)) return []
    const line = text.slice(0, index).split('\n').length + (comment.startsWith('\n') ? 1 : 0)
    return [`${file}:${line}: ${words.split('\n')[0]}`]
  })
}
