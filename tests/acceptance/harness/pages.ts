import assert from 'node:assert/strict'
import type { Answer } from './client.ts'
import { resultOf } from './envelope.ts'
import type { Json } from './fleetgate.ts'

/** The path of the next page, below the prefix; undefined after the last page. */
export function nextOf({ headers }: Answer): string | undefined {
  if (headers.link === undefined) return undefined
  const match = /^<[^>]*\/public\/v1(\/[^>]+)>; rel="next"$/.exec(String(headers.link))
  assert.ok(match, String(headers.link))
  return match[1]
}

/** All rows of a list, page by page, and the answers that have them. `between` gets the number of pages so far. */
export async function allPages(
  get: (path: string) => Promise<Answer>,
  path: string,
  between: (pages: number) => Promise<void> = async () => {},
): Promise<{ rows: Json[]; pages: Json[][]; answers: Answer[] }> {
  const answers: Answer[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer = await get(next)
    answers.push(answer)
    next = nextOf(answer)
    await between(answers.length)
  }
  const pages: Json[][] = answers.map(resultOf)
  return { rows: pages.flat(), pages, answers }
}
