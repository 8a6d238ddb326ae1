import { handedClock } from '../../../../testing/handed-clock.ts'
import { storedLevels } from '../../../../testing/records/stored-levels.ts'
import { withoutPostgres } from '../../../../testing/servers/installed.ts'
import { NOW } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore as postgres } from '../../../../testing/stores/temporary-postgres-store.ts'
import { temporaryStore as sqlite } from '../../../../testing/stores/temporary-sqlite-store.ts'
import { foldRules } from '../../tracking/rules/advance.ts'

const rules = foldRules(handedClock(NOW * 1_000))
storedLevels('SQLite', sqlite, rules, 200)
storedLevels('PostgreSQL', postgres, rules, 15, withoutPostgres)
