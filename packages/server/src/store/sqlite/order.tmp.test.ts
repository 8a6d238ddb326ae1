import { handedClock } from '../../domain/handed-clock.ts'
import { trackingRules } from '../../tracking/rules.ts'
import { orderContract } from '../contract/order.ts'
import { temporaryStore } from './temporary-store.ts'

orderContract(temporaryStore, trackingRules(handedClock(Date.UTC(2026, 10, 20) * 1000)))
