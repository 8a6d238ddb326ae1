export { LiveMap, type LiveMapProps } from './LiveMap.tsx'
