import { handedClock } from '../../../testing/handed-clock.ts'
import { storedRecords } from '../../../testing/records/stored-records.ts'
import { withoutPostgres } from '../../../testing/servers/installed.ts'
import { NOW } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore as postgres } from '../../../testing/stores/temporary-postgres-store.ts'
import { temporaryStore as sqlite } from '../../../testing/stores/temporary-sqlite-store.ts'
import { foldRules } from '../tracking/rules/advance.ts'

const rules = foldRules(handedClock(NOW * 1_000))
storedRecords('SQLite', sqlite, rules, 40)
storedRecords('PostgreSQL', postgres, rules, 15, withoutPostgres)
