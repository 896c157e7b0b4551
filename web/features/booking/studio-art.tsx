/** A drawing for each room: the club rig, the turntables, the camera. */
export function StudioArt({ name, className = '' }: { name: string; className?: string }) {
  const room = name.endsWith('B') ? <Vinyl /> : name.endsWith('C') ? <Camera /> : <Rig />;
  return (
    <svg
      viewBox="0 0 400 260"
      className={className}
      role="img"
      aria-label={`Drawing of ${name}`}
      preserveAspectRatio="xMidYMid slice"
    >
      <rect width="400" height="260" fill="#101012" />
      {room}
    </svg>
  );
}

function Rig() {
  return (
    <>
      <path d="M60 0 150 260H0Z" fill="#ff5a2c" opacity=".16" />
      <path d="M340 0 400 0 400 260 250 260Z" fill="#ff5a2c" opacity=".1" />
      {[40, 300].map((x) => (
        <g key={x}>
          <rect x={x} y="60" width="60" height="130" fill="#1d1d20" stroke="#3a3a3f" />
          <circle cx={x + 30} cy="92" r="18" fill="none" stroke="#f5f3ef" strokeWidth="2" />
          <circle cx={x + 30} cy="150" r="24" fill="none" stroke="#f5f3ef" strokeWidth="2" />
          <circle cx={x + 30} cy="150" r="8" fill="#ff5a2c" />
        </g>
      ))}
      <rect x="112" y="150" width="176" height="46" fill="#26262a" stroke="#4a4a50" />
      {[136, 264].map((x) => (
        <circle key={x} cx={x} cy="173" r="16" fill="#0b0b0c" stroke="#ff5a2c" strokeWidth="3" />
      ))}
      {[176, 192, 208, 224].map((x, at) => (
        <g key={x}>
          <path d={`M${x} 158v30`} stroke="#5a5a60" strokeWidth="3" />
          <rect x={x - 5} y={162 + ((at * 7) % 18)} width="10" height="6" fill="#f5f3ef" />
        </g>
      ))}
      <path d="M100 196h200v64H100z" fill="#141416" />
    </>
  );
}

function Vinyl() {
  return (
    <>
      <rect y="188" width="400" height="72" fill="#1a1512" />
      {[110, 290].map((x) => (
        <g key={x}>
          <rect x={x - 82} y="82" width="164" height="120" fill="#232327" stroke="#45454b" />
          <circle cx={x - 14} cy="142" r="54" fill="#0b0b0c" />
          {[46, 38, 30].map((r) => (
            <circle key={r} cx={x - 14} cy="142" r={r} fill="none" stroke="#2e2e33" strokeWidth="2" />
          ))}
          <circle cx={x - 14} cy="142" r="18" fill="#ffc24b" />
          <circle cx={x - 14} cy="142" r="3" fill="#0b0b0c" />
          <path
            d={`M${x + 64} 96 ${x + 62} 150 ${x + 24} 166`}
            fill="none"
            stroke="#f5f3ef"
            strokeWidth="4"
            strokeLinecap="round"
          />
        </g>
      ))}
      <path d="M0 40h400" stroke="#ffc24b" strokeWidth="2" opacity=".5" />
      <path d="M0 48h400" stroke="#ffc24b" strokeWidth="1" opacity=".25" />
    </>
  );
}

function Camera() {
  return (
    <>
      <path d="M0 0h130l70 200H0z" fill="#6fd3ff" opacity=".12" />
      <path d="M270 0h130v200H200z" fill="#ff5a2c" opacity=".14" />
      <rect x="110" y="176" width="180" height="40" fill="#26262a" stroke="#4a4a50" />
      <circle cx="200" cy="124" r="26" fill="#1a1a1d" stroke="#56565c" />
      <path d="M160 176c4-34 76-34 80 0z" fill="#1a1a1d" stroke="#56565c" />
      <g stroke="#f5f3ef" strokeWidth="3" fill="none">
        <path d="M28 30h50M28 30v36M372 30h-50M372 30v36M28 230h50M28 230v-36M372 230h-50M372 230v-36" />
      </g>
      <circle cx="350" cy="206" r="7" fill="#ff5a2c" />
      <rect x="300" y="60" width="52" height="34" fill="#0b0b0c" stroke="#f5f3ef" strokeWidth="2" />
      <circle cx="326" cy="77" r="11" fill="none" stroke="#6fd3ff" strokeWidth="3" />
    </>
  );
}
