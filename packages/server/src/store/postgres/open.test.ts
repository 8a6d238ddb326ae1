import { handedClock } from '../../domain/handed-clock.ts'
import { trackingRules } from '../../tracking/rules.ts'
import { storeContract } from '../contract.ts'
import { temporaryStore } from './temporary-store.ts'

const clock = handedClock(Date.UTC(2026, 10, 20) * 1_000)

storeContract('PostgreSQL', temporaryStore, trackingRules(clock))
