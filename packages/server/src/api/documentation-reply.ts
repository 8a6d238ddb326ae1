import type { Reply } from './reply.ts'
import type { ApiRequest } from './request.ts'
export function findDocument(_request: ApiRequest): Reply | undefined {
  return undefined
}
