import { t } from '../../language/text.ts'

/** Says why there is no map. `instead`: a sentence with another way. */
export function NoWebGl({ instead }: { instead?: string }) {
  return (
    <p role="alert" className="fleetmap-failed">
      {t('The map needs WebGL 2, which is not available in this browser.')} {instead}
    </p>
  )
}
