export { LiveMap, type LiveMapProps } from './LiveMap.tsx'
export { PlaceEditor, type PlaceEditorProps } from './PlaceEditor.tsx'
export { PreviewMap, type PreviewMapProps } from './PreviewMap.tsx'
