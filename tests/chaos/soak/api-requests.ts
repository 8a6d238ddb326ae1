import { historyPath } from '../../../bench/requests.ts'
import type { Tenant } from '../../../bench/tenants.ts'
import type { Random } from '../../../packages/server/testing/random.ts'
import { faultOf } from '../clients/healthy-answer.ts'

/** An answer. */
export type Answered = { status: number; etag: string | undefined; text: string }

/** A request and its expected answer. */
export type ApiRequest = {
  operation: string
  path: string
  headers: Record<string, string>
  /** The fault of the answer; undefined if it is right. */
  faultOf(answer: Answered): string | undefined
}

/** Returns requests of all kinds, valid and invalid, of one organization after the other. */
export function apiRequests(tenants: Tenant[], random: Random): () => ApiRequest {
  /** Entity tags of the lists of objects, by organization. */
  const tags = new Map<number, string>()
  let turn = 0

  function listRequest(tenant: Tenant): ApiRequest {
    const tag = tags.get(tenant.organization)
    const headers: Record<string, string> = tag === undefined ? {} : { 'if-none-match': tag }
    return {
      operation: 'objects',
      path: '/objects',
      headers,
      faultOf({ status, etag, text }) {
        if (status === 304 && tag !== undefined && text === '') return undefined
        if (etag !== undefined) tags.set(tenant.organization, etag)
        return faultOf(status, text, tenant.object)
      },
    }
  }

  return () => {
    const tenant = tenants[turn++ % tenants.length]!
    const make = random.pick([...KINDS, listRequest])
    const request = make(tenant, random)
    const coding = random.pick(['identity', 'gzip', 'br', 'zstd'])
    const key: Record<string, string> = { 'x-api-key': tenant.key, 'accept-encoding': coding }
    return { ...request, headers: { ...key, ...request.headers } }
  }
}

const KINDS = [detail, latest, history, emptyList, unknownObject, withoutStart, withWrongKey]

function detail(tenant: Tenant): ApiRequest {
  return about(tenant, 'detail', `/objects/${tenant.object}`)
}

function latest(tenant: Tenant): ApiRequest {
  return about(tenant, 'latest', `/positions/latest?ids=${tenant.object},999999999`)
}

function history(tenant: Tenant): ApiRequest {
  const path = historyPath(tenant, 1).replace('/public/v1', '')
  return about(tenant, 'history', `${path}&limit=100`)
}

function emptyList(_tenant: Tenant, random: Random): ApiRequest {
  const path = random.pick(['/geofences', '/routes', '/sites'])
  const body = '{"statusCode":200,"result":[]}'
  return {
    operation: 'other lists',
    path,
    headers: {},
    faultOf: ({ status, text }) =>
      status === 200 && text === body ? undefined : `${status} ${text}`,
  }
}

function unknownObject(): ApiRequest {
  return refused('unknown object', '/objects/999999999', {}, 404, 'PUBLIC.404_001')
}

function withoutStart(tenant: Tenant): ApiRequest {
  const path = `/objects/${tenant.object}/positions?to_time=2026-06-01`
  return refused('without start', path, {}, 400, 'PUBLIC.400_001')
}

function withWrongKey(_tenant: Tenant, random: Random): ApiRequest {
  const key = `fg_live_${random.whole(1e9, 9e9)}`
  return refused('wrong key', '/objects', { 'x-api-key': key }, 401, 'ERR999')
}

function about(tenant: Tenant, operation: string, path: string): ApiRequest {
  return {
    operation,
    path,
    headers: {},
    faultOf: ({ status, text }) => faultOf(status, text, tenant.object),
  }
}

function refused(
  operation: string,
  path: string,
  headers: Record<string, string>,
  expected: number,
  code: string,
): ApiRequest {
  return {
    operation,
    path,
    headers,
    faultOf: ({ status, text }) =>
      status === expected && text.includes(`"errorCode":"${code}"`)
        ? undefined
        : `${status} ${text}`,
  }
}
