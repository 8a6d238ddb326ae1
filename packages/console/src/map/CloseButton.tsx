/** The cross of a panel on the map. */
export function CloseButton({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <button type="button" className="fleetmap-close" aria-label={label} onClick={onPress}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d="M3 3 13 13M13 3 3 13" stroke="currentColor" strokeWidth="2" />
      </svg>
    </button>
  )
}
