import { scopeDocument } from '../../domain/settings/scope-settings.ts'
import { formatInstant } from '../../domain/time/time.ts'
import type { KeyResult } from '../documentation/schemas.ts'
import type { Operation } from '../operation.ts'

/** `GET /key`: the key of the request, and what it opens. Charges nothing. */
export const getKey: Operation = {
  id: 'getKey',
  isPosition: false,
  openedBy: [],
  isPublic: false,
  prepare({ key }) {
    const { name, prefix, scope, createdAt, expiresAt } = key
    const result: KeyResult = {
      name,
      prefix,
      scope: scopeDocument(scope),
      created_at: formatInstant(createdAt),
      expires_at: expiresAt === null ? null : formatInstant(expiresAt),
    }
    const body = JSON.stringify({ statusCode: 200, result })
    return { due: null, shown: [], answer: () => ({ isFresh: true, body }) }
  },
}
