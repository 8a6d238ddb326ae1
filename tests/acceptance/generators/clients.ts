import { type Client, literal } from './calls.ts'

const ENVIRONMENT = 'const { BASE, KEY } = process.env as { BASE: string; KEY: string }'

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())

/** The arguments of a call that are there. */
const list = (...values: (string | undefined)[]) => values.filter(Boolean).join(', ')

/** How the client of each generator is called. */
export const CLIENTS: Record<string, Client> = {
  'openapi-fetch': {
    head: `import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-fetch/schema.js'
${ENVIRONMENT}
const client = createClient<paths, 'application/json'>({ baseUrl: BASE, headers: { 'x-api-key': KEY } })`,
    call({ path, inPath, query }) {
      const pathParameters = inPath === undefined ? undefined : `path: { id: ${inPath} }`
      const values = literal(query)
      const params = list(pathParameters, values && `query: ${values}`)
      const options = params && `{ params: { ${params} } }`
      return `(await client.GET(${list(`'${path}'`, options)})).data!.result`
    },
  },
  'hey-api': {
    head: `import { client } from './generated/hey-api/client.gen.js'
import * as api from './generated/hey-api/index.js'
${ENVIRONMENT}
client.setConfig({ baseUrl: BASE, auth: () => KEY, throwOnError: true })`,
    call({ id, inPath, query }) {
      const values = literal(query)
      const options = list(inPath && `path: { id: ${inPath} }`, values && `query: ${values}`)
      return `(await api.${id}(${options && `{ ${options} }`})).data!.result`
    },
  },
  orval: {
    head: `import * as api from './generated/orval/api.js'
${ENVIRONMENT}
const options = { headers: { 'x-api-key': KEY } }
function resultOf<Result>(answer: { status: 200; data: { result: Result } } | { status: number }) {
  if (answer.status !== 200 || !('data' in answer)) throw new Error(JSON.stringify(answer))
  return answer.data.result
}`,
    call({ id, inPath, query, hasQuery, isPublic }) {
      const values = hasQuery ? (literal(query) ?? 'undefined') : undefined
      return `resultOf(await api.${id}(${isPublic ? '' : list(inPath, values, 'options')}))`
    },
  },
  'openapi-typescript-codegen': {
    head: `import * as services from './generated/openapi-typescript-codegen/index.js'
${ENVIRONMENT}
services.OpenAPI.BASE = BASE
services.OpenAPI.HEADERS = { 'x-api-key': KEY }`,
    call({ id, tag, inPath, query, isPublic }) {
      const named = Object.entries(query).map(([name, value]) => [camel(name), value])
      const values = { ...(inPath && { id: inPath }), ...Object.fromEntries(named) }
      const options = isPublic ? '' : (literal(values) ?? '{}')
      return `(await services.${tag}Service.${id}(${options})).result`
    },
    // `type` is any string in the types of this generator.
    namesOf: "'object' in change ? change.object.name : []",
  },
  'swagger-typescript-api': {
    head: `import { Api } from './generated/swagger-typescript-api/api.js'
${ENVIRONMENT}
const api = new Api<string>({
  baseUrl: BASE,
  securityWorker: (key) => ({ headers: { 'x-api-key': \`\${key}\` } }),
})
api.setSecurityData(KEY)`,
    call({ id, path, inPath, query }) {
      const [, group] = path.split('/')
      return `(await api.${group}.${id}(${list(inPath, literal(query))})).data.result`
    },
  },
}
