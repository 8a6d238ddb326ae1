import {
  type CredentialActs,
  DEPLOYMENT_TOKEN_ACTS,
  FEED_TOKEN_ACTS,
  KEY_ACTS,
} from '../../../acts/credential-acts.ts'
import type { AdminOperation } from '../admin-api.ts'

/** The acts on keys and tokens. A list shows the uses that this process has counted and not written yet. */
export const CREDENTIAL_OPERATIONS: AdminOperation[] = [
  KEY_ACTS,
  FEED_TOKEN_ACTS,
  DEPLOYMENT_TOKEN_ACTS,
].flatMap(withUses)

function withUses({ list, issue, rotate, revoke }: CredentialActs): AdminOperation[] {
  const listed: AdminOperation = {
    ...list,
    async run(call) {
      await call.api.usage.write()
      await call.api.directory.writeLastUses()
      return list.run(call)
    },
  }
  return [listed, issue, rotate, revoke]
}
