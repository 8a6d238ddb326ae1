import type { Answer } from './client.ts'
import { resultOf } from './envelope.ts'
import type { Json } from './fleetgate.ts'

/** All rows of a list, page by page, and the answers that have them. */
export async function allPages(
  get: (path: string) => Promise<Answer>,
  path: string,
): Promise<{ rows: Json[]; answers: Answer[] }> {
  const answers: Answer[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer = await get(next)
    answers.push(answer)
    next = /<[^>]*\/public\/v1([^>]+)>; rel="next"/.exec(`${answer.headers.link ?? ''}`)?.[1]
  }
  return { rows: answers.flatMap((answer) => resultOf(answer)), answers }
}
