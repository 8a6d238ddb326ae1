export { LiveMap, type LiveMapProps } from './LiveMap.tsx'
export { PointsMap, type PointsMapProps } from './PointsMap.tsx'
export { PlaceEditor, type PlaceEditorProps } from './places/PlaceEditor.tsx'
export { PreviewMap, type PreviewMapProps } from './places/PreviewMap.tsx'
