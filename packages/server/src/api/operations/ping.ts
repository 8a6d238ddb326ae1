import type { Operation } from '../operation.ts'

const ALIVE = { body: '{"statusCode":200,"result":{"status":"ok"}}' }

/** `GET /ping`: whether the service answers. Needs no key and is not counted. */
export const ping: Operation = {
  id: 'ping',
  isPublic: true,
  run: () => ALIVE,
}
