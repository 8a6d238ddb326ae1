import { ACCESS_SETTING_ACTS } from '../../../acts/access-setting-acts.ts'
import { type Act, organizationOf, VIEWERS } from '../../../acts/act.ts'
import { ATTRIBUTE_ACTS } from '../../../acts/attribute-acts.ts'
import { AUDIT_ACTS } from '../../../acts/audit/audit-acts.ts'
import { CREDENTIAL_ACTS, KEY_SCOPE_ACTS } from '../../../acts/credential-acts.ts'
import { DAY_ACTS } from '../../../acts/day-acts.ts'
import { DESK_ACTS } from '../../../acts/desk-acts.ts'
import { DIAGNOSIS_ACTS } from '../../../acts/diagnosis.ts'
import { DISCLOSURE_ACTS } from '../../../acts/disclosure-acts.ts'
import { ERASURE_ACTS } from '../../../acts/erasure-acts.ts'
import { INVITATION_ACTS, TOKEN_ACTS } from '../../../acts/issued-acts.ts'
import { LINK_ACTS } from '../../../acts/link-acts.ts'
import { SAVED_MAPPING_ACTS } from '../../../acts/mapping-acts.ts'
import { OBJECT_ACTS } from '../../../acts/object-acts.ts'
import { PEOPLE_ACTS } from '../../../acts/people-acts.ts'
import { ALL_PLACE_ACTS } from '../../../acts/place-acts.ts'
import { ALL_RECORD_ACTS } from '../../../acts/record-acts.ts'
import { notFound, Refused } from '../../../acts/refused.ts'
import { REJECT_ACTS } from '../../../acts/reject-acts.ts'
import { ROUTING_ACTS } from '../../../acts/routing-acts.ts'
import { OWN_SESSION_ACTS, PEOPLE_SESSION_ACTS } from '../../../acts/session-acts.ts'
import { allOf } from '../../../acts/two-places.ts'
import { VALUE_ACTS } from '../../../acts/value-acts.ts'
import { WEBHOOK_ACTS } from '../../../acts/webhook-acts.ts'
import { ONE_TIME_URL_OPERATIONS } from '../access/one-time-urls.ts'
import { OWN_ACCOUNT_OPERATIONS } from '../access/own-account.ts'
import { SESSION_OPERATIONS } from '../access/session.ts'
import type { AdminOperation } from '../admin-api.ts'
import { MAP_TILES } from '../map-tiles.ts'
import { SIGN_ON_OPERATIONS } from '../sign-on/sign-on-operations.ts'
import { LIVE_OBJECTS } from '../watched-fleet.ts'
import { DAY_TRACK_OPERATIONS } from './day-track.ts'
import { CATALOGUE_IMPORTS, POSITION_IMPORTS } from './import-operations.ts'
import { ORGANIZATION_OPERATIONS } from './organization-operations.ts'
import { SERVER_OPERATIONS } from './server-info.ts'
import { USAGE_OPERATIONS } from './usage.ts'

/** Answered by its own stream (`live.ts`) after the checks. */
export const WATCH: AdminOperation = {
  id: 'watchObjects',
  method: 'GET',
  path: '/organizations/{organization}/live',
  who: VIEWERS,
  tag: 'Objects',
  summary:
    'Stream current positions: server-sent events `objects` and `gone`, and `settings` when lists of objects are outdated',
  status: 200,
  answers: LIVE_OBJECTS,
  run: organizationOf,
}

const { recomputeObject, ...objectActs } = OBJECT_ACTS

/** Everything that the console does. */
export const OPERATIONS: readonly AdminOperation[] = [
  ...SESSION_OPERATIONS,
  ...SIGN_ON_OPERATIONS,
  ...ONE_TIME_URL_OPERATIONS,
  ...OWN_ACCOUNT_OPERATIONS,
  ...Object.values<Act>(OWN_SESSION_ACTS),
  ...allOf(PEOPLE_ACTS),
  ...allOf(PEOPLE_SESSION_ACTS),
  ...allOf(INVITATION_ACTS),
  ...Object.values<Act>(ACCESS_SETTING_ACTS),
  ...allOf(TOKEN_ACTS),
  ...SERVER_OPERATIONS,
  MAP_TILES,
  ...ORGANIZATION_OPERATIONS,
  ...CREDENTIAL_ACTS,
  ...Object.values(LINK_ACTS),
  ...Object.values(ROUTING_ACTS),
  ...Object.values(KEY_SCOPE_ACTS),
  ...Object.values(WEBHOOK_ACTS),
  ...USAGE_OPERATIONS,
  ...Object.values<Act>(DISCLOSURE_ACTS),
  ...Object.values<Act>(DESK_ACTS),
  ...Object.values<Act>(objectActs),
  ...Object.values<Act>(DIAGNOSIS_ACTS),
  ...Object.values<Act>(ERASURE_ACTS),
  ...Object.values<Act>(REJECT_ACTS),
  recomputeObject,
  ...DAY_TRACK_OPERATIONS,
  WATCH,
  ...ALL_RECORD_ACTS,
  ...Object.values<Act>(DAY_ACTS),
  ...ALL_PLACE_ACTS,
  ...CATALOGUE_IMPORTS,
  ...Object.values<Act>(ATTRIBUTE_ACTS),
  ...Object.values<Act>(VALUE_ACTS),
  ...POSITION_IMPORTS,
  ...Object.values(SAVED_MAPPING_ACTS),
  ...allOf(AUDIT_ACTS),
]

type Compiled = { pattern: RegExp; names: string[]; operation: AdminOperation }

/** Ids are whole numbers that a double holds exactly. */
const ID = '([1-9]\\d{0,15})'

const COMPILED: Compiled[] = OPERATIONS.map((operation) => ({
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, ID)}$`),
  names: Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name]) => name!),
  operation,
}))

export type AdminRoute = { operation: AdminOperation; params: Record<string, number> }

/** The operation of a path below the prefix. `Refused`: 404, or 405 if another method exists. */
export function findAdminRoute(method: string, path: string): AdminRoute | Refused {
  const methods = new Set<string>()
  for (const { pattern, names, operation } of COMPILED) {
    const match = pattern.exec(path)
    if (match === null) continue
    methods.add(operation.method === 'GET' ? 'GET, HEAD' : operation.method)
    if (operation.method !== method) continue
    const params = Object.fromEntries(names.map((name, i) => [name, Number(match[i + 1])]))
    return { operation, params }
  }
  if (methods.size === 0) return notFound('path')
  const allow = [...methods].join(', ')
  return new Refused(405, 'method_not_allowed', `method not allowed; use ${allow}`, {
    headers: { Allow: allow },
  })
}
