import { AUDIT_OPERATIONS } from './audit.ts'
import { CREDENTIAL_OPERATIONS } from './credentials.ts'
import { IMPORT_OPERATIONS } from './imports.ts'
import { OBJECT_OPERATIONS } from './objects.ts'
import type { AdminOperation } from './operation.ts'
import { ORGANIZATION_OPERATIONS, organizationOf } from './organizations.ts'
import { PLACE_OPERATIONS } from './places.ts'
import { SERVER_OPERATIONS } from './server-info.ts'
import { SESSION_OPERATIONS } from './session.ts'
import { TOKEN_OPERATIONS } from './tokens.ts'
import { TRACK_OPERATIONS } from './track.ts'
import { USAGE_OPERATIONS } from './usage.ts'

export const ADMIN_PREFIX = '/admin/v1'

/** Answered by its own stream (`live-stream.ts`) after the checks. */
export const WATCH: AdminOperation = {
  id: 'watchObjects',
  method: 'GET',
  path: '/organizations/{organization}/live',
  tag: 'Objects',
  summary: 'Where objects are, as packets come: server-sent events `objects` and `gone`',
  status: 200,
  answers: 'liveObjects',
  run: organizationOf,
}

/** Everything that the console does. */
export const OPERATIONS: readonly AdminOperation[] = [
  ...SESSION_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...SERVER_OPERATIONS,
  ...ORGANIZATION_OPERATIONS,
  ...CREDENTIAL_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...OBJECT_OPERATIONS,
  ...TRACK_OPERATIONS,
  WATCH,
  ...PLACE_OPERATIONS,
  ...IMPORT_OPERATIONS,
  ...AUDIT_OPERATIONS,
]
