import { citusIsMissing } from '../../../packages/server/testing/servers/citus.ts'

/** Why the trials of a Citus are skipped. Undefined: `npm run acceptance:citus-kills` runs them, and there is a Citus. */
export const skipCitusTrial =
  process.env.CITUS_KILLS === 'whole' ? citusIsMissing : 'CITUS_KILLS=whole runs it'
