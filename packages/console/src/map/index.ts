export { LiveMap, type LiveMapProps } from './LiveMap.tsx'
export { PlaceEditor } from './PlaceEditor.tsx'
export { PreviewMap } from './PreviewMap.tsx'
