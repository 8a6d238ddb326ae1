import type { Issuer } from '../../store/access-store.ts'
import type { Call } from '../admin-api.ts'

/** The caller as the issuer of a credential: a person, or a token of whoever issued that. */
export function issuerOf({ caller }: Call): Issuer {
  const { credential, account } = caller!
  if (account !== null) return { account: account.id, token: null }
  return { account: credential.issuedBy, token: credential.id }
}
