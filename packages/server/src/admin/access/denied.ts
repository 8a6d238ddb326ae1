import { type Denial, denialMembers, denialOf } from '../../access/denial.ts'
import { networkOf } from '../../access/network.ts'
import { hashSecret } from '../../access/secret.ts'
import { thinning } from '../../http/listener-log.ts'
import type { AdminApi } from '../admin-api.ts'
import { presentedSecret } from './authenticate.ts'

type DeniedParts = Pick<AdminApi, 'store' | 'clock' | 'addressOf'> & {
  /** Writes a line of the log. `members` are members of a JSON object, as text. */
  line(members: string): void
}

/** Logs requests without a valid session or token, and why. Lines of one network are thinned like wrong passwords. */
export function openDenied({ store, clock, line, addressOf }: DeniedParts): AdminApi['denied'] {
  const isThinnedOut = thinning(clock)

  async function denial(presented: ReturnType<typeof presentedSecret>): Promise<Denial> {
    if (presented === undefined) return { reason: 'missing' }
    const found = await store.access.find(hashSecret(presented.secret))
    // Nothing is kept of a token that was revoked.
    const known = found && { expiresAt: found.credential.expiresAt, revokedAt: null }
    return denialOf(presented.secret, [presented.kind], known ?? undefined, clock.now())
  }

  return async (message, operation, requestId) => {
    const address = addressOf(message)
    if (isThinnedOut(networkOf(address))) return
    const why = denialMembers(await denial(presentedSecret(message)))
    line(
      `"operation":"${operation}","status":401,${why},"address":${JSON.stringify(address)},` +
        `"request_id":"${requestId}","msg":"operator's request"`,
    )
  }
}
