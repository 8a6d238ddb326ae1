export { LiveMap, type LiveMapProps } from './LiveMap.tsx'
export { PlaceEditor, type PlaceEditorProps } from './PlaceEditor.tsx'
export { PointsMap, type PointsMapProps } from './PointsMap.tsx'
export { PreviewMap, type PreviewMapProps } from './PreviewMap.tsx'
