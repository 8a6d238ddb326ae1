import { notFound, Refused } from '../operator/refused.ts'
import type { AdminOperation } from './operation.ts'
import { OPERATIONS } from './operations/operations.ts'

type Compiled = { pattern: RegExp; names: string[]; operation: AdminOperation }

/** Ids are whole numbers that a double holds exactly. */
const ID = '([1-9]\\d{0,15})'

const COMPILED: Compiled[] = OPERATIONS.map((operation) => ({
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, ID)}$`),
  names: Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name]) => name!),
  operation,
}))

const SIGNED_FORMS = OPERATIONS.filter((each) => each.takesSignedForm)

/** Whether a request needs no `Origin` of the console (`AdminOperation.takesSignedForm`). */
export function takesSignedForm(method: string, path: string): boolean {
  return SIGNED_FORMS.some((each) => each.method === method && each.path === path)
}

export type AdminRoute = { operation: AdminOperation; params: Record<string, number> }

/** The operation of a path below the prefix. Throws `Refused`: 404, or 405 if another method exists. */
export function findAdminRoute(method: string, path: string): AdminRoute {
  const methods = new Set<string>()
  for (const { pattern, names, operation } of COMPILED) {
    const match = pattern.exec(path)
    if (match === null) continue
    methods.add(operation.method === 'GET' ? 'GET, HEAD' : operation.method)
    if (operation.method !== method) continue
    const params = Object.fromEntries(names.map((name, i) => [name, Number(match[i + 1])]))
    return { operation, params }
  }
  if (methods.size === 0) throw notFound('path')
  const allow = [...methods].join(', ')
  throw new Refused(405, 'method_not_allowed', `this path takes ${allow}`, {
    headers: { Allow: allow },
  })
}
