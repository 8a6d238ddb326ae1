import { toJson } from '../../domain/common/json.ts'
import { scopeDocument } from '../../domain/key-scope.ts'
import { formatInstant } from '../../domain/time/time.ts'
import { van } from '../documentation/examples.ts'
import type { SchemaValue } from '../documentation/schemas.ts'
import type { Operation } from '../operation.ts'
import { parameterSet } from '../parameters/parameter.ts'
import { repeatedParameter } from '../refusal.ts'

/** `GET /key`: the key of the request, what it opens, and the settings of its organization. Charges nothing. */
export const getKey: Operation = {
  id: 'getKey',
  path: '/key',
  tag: 'Service',
  summary: 'Get the key',
  description:
    'The key of the request, the part of the organization that it opens, and the settings of the organization that affect answers. Every key can read it. Costs a request and no quota.',
  parameters: parameterSet({}),
  success: 'The key.',
  result: {
    one: 'Key',
    example: {
      name: 'Broker',
      prefix: 'fg_live_k3Xz',
      scope: {
        operations: ['objects', 'positions'],
        objects: [van.id],
        data_from: '2026-11-16T00:00:00.000Z',
        data_until: '2026-11-22T23:59:59.999Z',
        window_share: 3,
      },
      created_at: '2026-11-16T08:15:00.000Z',
      expires_at: null,
      organization: {
        name: 'Harbour Logistics',
        time_zone: 'Europe/Madrid',
        distance_unit: 'km',
        language: 'en',
      },
    },
  },
  badRequests: [repeatedParameter('format')],
  isPosition: false,
  openedBy: [],
  isPublic: false,
  prepare({ key, organization }) {
    const { name, prefix, scope, createdAt, expiresAt } = key
    const result: SchemaValue<'Key'> = {
      name,
      prefix,
      scope: scopeDocument(scope),
      created_at: formatInstant(createdAt),
      expires_at: expiresAt === null ? null : formatInstant(expiresAt),
      organization: {
        name: organization.name,
        time_zone: organization.timeZone,
        distance_unit: organization.distanceUnit,
        language: organization.language,
      },
    }
    const body = toJson({ statusCode: 200, result })
    return { due: null, shown: [], answer: () => ({ isFresh: true, body }) }
  },
}
