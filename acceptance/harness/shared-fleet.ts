export { startFleet as sharedFleet } from './fleet.ts'
