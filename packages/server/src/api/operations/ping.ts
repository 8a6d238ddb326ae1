import type { Operation } from '../operation.ts'
import { parameterSet } from '../parameters/parameter.ts'
import { malformedRequest } from '../refusal.ts'

const ALIVE = { status: 'ok' } as const
const ANSWER = { body: JSON.stringify({ statusCode: 200, result: ALIVE }) }

/** `GET /ping`: whether the service answers. Needs no key and is not counted. */
export const ping: Operation = {
  id: 'ping',
  path: '/ping',
  tag: 'Service',
  summary: 'Ping',
  description:
    'Confirms that the service answers. Needs no key and counts against no organization.',
  parameters: parameterSet({}),
  success: 'The service answers.',
  result: { one: 'Health', example: ALIVE },
  badRequests: [malformedRequest],
  isPublic: true,
  run: () => ANSWER,
}
