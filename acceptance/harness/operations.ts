import { WHOLE_RANGE } from './fleet-data.ts'
import type { OrganizationRecord } from './organization.ts'

export type Operation = { name: string; path(organization: OrganizationRecord): string }

/** The seven operations that need a key, each as a request that is answered with 200. */
export const OPERATIONS: Operation[] = [
  { name: 'GET /objects', path: () => '/objects' },
  { name: 'GET /objects/{id}', path: ({ objects }) => `/objects/${objects.van}` },
  {
    name: 'GET /objects/{id}/positions',
    path: ({ objects }) => `/objects/${objects.van}/positions?${WHOLE_RANGE}`,
  },
  { name: 'GET /positions/latest', path: ({ objects }) => `/positions/latest?ids=${objects.van}` },
  { name: 'GET /geofences', path: () => '/geofences' },
  { name: 'GET /routes', path: () => '/routes' },
  { name: 'GET /sites', path: () => '/sites' },
]

/** What is subject to the subscription and the daily quota: history and latest. */
export const POSITION_OPERATIONS = OPERATIONS.filter(({ name }) => name.includes('positions'))
