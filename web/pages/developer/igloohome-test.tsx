import { IgloohomeTools } from '#web/staff/developer/igloohome-tools.tsx';
import { Frame } from './frame.tsx';

export default function IgloohomeTestPage() {
  return (
    <Frame
      title="Igloohome test"
      lead="Test locks, codes and emails one step at a time. Everything here is real: the codes open doors."
    >
      <IgloohomeTools />
    </Frame>
  );
}
