import type { Role } from '../domain/account.ts'

/**
 * The callers who may do an act. `everybody`: people who have not signed in too. `people`: a person who has signed in, about the
 * own account. A list: whoever has one of these roles, in the organization of the act or in the deployment.
 */
export type Who = 'everybody' | 'people' | readonly Role[]

/** To look at an organization: its map, objects, days, reports and usage. */
export const VIEWERS: readonly Role[] = ['operator', 'support', 'administrator', 'viewer']
/** To look at what runs it: keys, webhooks, people, the audit log. */
export const OVERSEERS: readonly Role[] = ['operator', 'support', 'administrator']
/** To change what an organization decides. */
export const ADMINISTRATORS: readonly Role[] = ['operator', 'administrator']
/** To look at the deployment. */
export const SUPPORTERS: readonly Role[] = ['operator', 'support']
/** To change the deployment, and what limits an organization. */
export const OPERATORS: readonly Role[] = ['operator']
