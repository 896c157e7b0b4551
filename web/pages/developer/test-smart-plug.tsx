import { PlugTest } from '#web/staff/developer/power-tools.tsx';
import { Frame } from './frame.tsx';

export default function TestSmartPlugPage() {
  return (
    <Frame title="Smart plug test" lead="Turns the plug on, then off after two seconds.">
      <PlugTest />
    </Frame>
  );
}
