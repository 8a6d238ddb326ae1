import type { OperatorCredentialKind } from '../domain/operator.ts'
import type { NewOperatorCredential, NewOperatorToken } from './operator-store.ts'

/**
 * The kind that a token is stored under whose scope is not `all`. A program from before there were scopes does
 * not know this kind and lets nobody in by it.
 */
const SCOPED_TOKEN = 'scoped_token'

/** SQL for the kind of a stored credential. */
export const KIND = `CASE kind WHEN '${SCOPED_TOKEN}' THEN 'token' ELSE kind END`

export function storedKind(
  credential: NewOperatorCredential | NewOperatorToken,
): OperatorCredentialKind | typeof SCOPED_TOKEN {
  const isScoped = 'scope' in credential && credential.scope !== 'all'
  return isScoped ? SCOPED_TOKEN : credential.kind
}
