import { storeContract } from '../contract.ts'
import { temporaryStore } from './temporary-store.ts'

storeContract('SQLite', temporaryStore)
