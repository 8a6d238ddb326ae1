import { readFileSync } from 'node:fs'

const WRITTEN = new URL('../../admin-openapi.json', import.meta.url)

let description: Buffer | undefined

/**
 * The description of the operator's API as JSON, which `npm run openapi` has written. All answers share its
 * bytes, which are read when they are first asked for.
 */
export function openapi(): Buffer {
  description ??= Buffer.from(JSON.stringify(JSON.parse(readFileSync(WRITTEN, 'utf8'))))
  return description
}
