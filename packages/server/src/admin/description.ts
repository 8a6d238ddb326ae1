import { readFileSync } from 'node:fs'

const WRITTEN = new URL('../../admin-openapi.json', import.meta.url)

let description: object | undefined

/** The description of the operator's API, as `npm run openapi` has written it; read when it is first asked for. */
export function openapi(): object {
  description ??= JSON.parse(readFileSync(WRITTEN, 'utf8')) as object
  return description
}
