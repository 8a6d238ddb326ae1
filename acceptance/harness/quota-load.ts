import assert from 'node:assert/strict'
import type { Answer } from './client.ts'
import type { Organization } from './organization.ts'

/** Requests of one organization that are charged for its van. */
export type QuotaLoad = {
  /** Charges it until its window is almost full or the server is gone. */
  run(): Promise<void>
  /** Charges it once more: the counter holds all that was answered, and nothing that was not sent. */
  assertCharged(): Promise<void>
  /** How many requests were sent, and how many answered with a 200, so far. */
  counts(): { sent: number; answered: number }
}

/** `quota`: what the organization may be charged in a day, in vain. */
export function quotaLoad(caller: Organization, quota: number): QuotaLoad {
  const { van } = caller.objects
  const latest = `/positions/latest?ids=${van}`
  const paths = [`/objects/${van}`, latest]
  let sent = 0
  let answered = 0

  async function charge(path: string): Promise<Answer | undefined> {
    sent += 1
    const answer = await caller.get(path).catch(() => undefined)
    if (answer?.status === 200) answered += 1
    return answer
  }

  return {
    async run() {
      for (let count = 0; count < 9; count++) {
        if ((await charge(paths[count % 2]!)) === undefined) return
      }
    },
    async assertCharged() {
      const answer = await charge(latest)
      const charged = quota - Number(answer?.headers['x-quota-remaining'])
      assert.ok(charged >= answered, `${charged} charged of ${answered} that were answered`)
      assert.ok(charged <= sent, `${charged} charged of ${sent} that were sent`)
    },
    counts: () => ({ sent, answered }),
  }
}
