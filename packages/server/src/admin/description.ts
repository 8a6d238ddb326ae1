import { readFileSync } from 'node:fs'

const WRITTEN = new URL('../../admin-openapi.json', import.meta.url)

let description: Buffer | undefined

/**
 * The description of the operator's API as JSON, written by `npm run openapi`. Its bytes are read on
 * first use and shared by all answers.
 */
export function openapi(): Buffer {
  description ??= Buffer.from(JSON.stringify(JSON.parse(readFileSync(WRITTEN, 'utf8'))))
  return description
}
