/** True if this browser lets this page record. Browsers deny that to pages over plain http. */
export function canRecord(): boolean {
  return isSecureContext && 'MediaRecorder' in globalThis && navigator.mediaDevices?.getUserMedia !== undefined;
}
