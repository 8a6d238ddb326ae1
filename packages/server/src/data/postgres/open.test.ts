import { handedClock } from '../../../testing/handed-clock.ts'
import { packedContract, storeContract } from '../../../testing/store-contract/store-contract.ts'
import { temporaryStore } from '../../../testing/stores/temporary-postgres-store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'

const clock = handedClock(Date.UTC(2026, 10, 20) * 1_000)

storeContract('PostgreSQL', temporaryStore, foldRules(clock))
packedContract('PostgreSQL', temporaryStore, foldRules(clock))
