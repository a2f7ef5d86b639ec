import type { Dice } from './dice.ts';
import { isHeldOut } from './held-out.ts';

const list = (text: string): string[] => text.trim().split(/\s+/);

export const FIRST_NAMES =
  list(`Anna Ben Carla David Emma Frank Grace Henry Ida Jack Karen Leo Maria Nina Oscar Paul Rita Sam Tom Ursula Victor Wendy Alice Bob Charlie Diana Eric Fiona George Helen
 Ivan Julia Kevin Laura Mike Nora Olga Peter Rosa Steve Tina Vera Will Amy Brian Chris Dora Ella Fred Gina Hugo Iris James Kate Lisa Mark Nick Olive Pam Ray Sara Tim Zoe Adam Bella Clara Dan Eva Felix
 Hannah Jonas Klara Lena Max Nora Otto Paula Robert Sophie Theo Una Walter Yara John Jane Mary Linda Susan Daniel Michael Sarah Thomas Emily Lucas Mia Noah Liam Olivia Ava Ahmed Fatima Omar Layla Wei Li Chen
 Yuki Hiro Kenji Raj Arjun Anita Carlos Jose Miguel Lucia Pedro Joao Pierre Marie Luc Giulia Marco Luca Sven Lars Ingrid Olaf Igor Natasha Dmitri Kofi Amina Zain Ali`);
export const CITIES =
  list(`London Paris Berlin Madrid Rome Vienna Munich Hamburg Cologne Zurich Geneva Brussels Amsterdam Dublin Lisbon Porto Athens Warsaw Prague Budapest Moscow Kiev Istanbul Cairo Lagos Nairobi
 Tokyo Kyoto Osaka Seoul Beijing Shanghai Delhi Mumbai Bangkok Hanoi Sydney Melbourne Auckland Toronto Montreal Vancouver Chicago Boston Seattle Denver Dallas Houston Miami Atlanta Phoenix Austin Detroit
 Lima Bogota Santiago Havana Caracas Quito Milan Naples Venice Turin Florence Lyon Nice Marseille Bern Basel Leipzig Dresden Bonn Oxford Cambridge York Leeds Glasgow Bristol Bath Stockholm Malmo Helsinki Tampere`);
export const COUNTRIES =
  list(`France Germany Spain Italy Austria Poland Russia China Japan India Brazil Mexico Canada Egypt Kenya Nigeria Norway Sweden Finland Denmark Greece Turkey Portugal Ireland Scotland Australia Chile Peru Cuba
 Hungary Romania Ukraine Belgium Switzerland Iceland Vietnam Thailand Korea Israel Iran Iraq Morocco America England Mongolia Argentina Colombia Indonesia Croatia Bolivia`);
export const COLOURS = list(
  'red blue green yellow black white purple orange pink brown grey silver gold turquoise violet beige crimson navy teal magenta lime maroon indigo olive',
);
export const FOODS = list(
  'pizza pasta bread cheese apples rice soup salad chocolate sushi tacos noodles curry cake pancakes potatoes eggs fish ice-cream bananas burgers cookies toast honey beans mushrooms tomatoes grapes lemons carrots',
);
export const ANIMALS = list(
  'dog cat horse rabbit parrot hamster goldfish snake turtle mouse cow pig sheep duck goose lion tiger bear wolf fox elephant monkey whale dolphin shark eagle owl frog bee ant spider butterfly penguin kangaroo zebra giraffe camel',
);
export const JOBS = [
  'teacher',
  'doctor',
  'nurse',
  'baker',
  'farmer',
  'lawyer',
  'engineer',
  'student',
  'programmer',
  'driver',
  'cook',
  'painter',
  'writer',
  'singer',
  'plumber',
  'gardener',
  'pilot',
  'dentist',
  'carpenter',
  'librarian',
  'waiter',
  'musician',
  'policeman',
  'scientist',
  'designer',
  'chemist',
  'butcher',
  'tailor',
  'judge',
  'sailor',
];
export const HOBBIES = list(
  'swimming running reading cooking painting dancing singing chess football tennis hiking fishing gardening photography knitting cycling skiing climbing sailing gaming yoga travelling drawing pottery baking',
);
export const NOUNS =
  list(`house tree car book table river mountain window door garden street bridge city school teacher letter paper picture music song story game ball clock phone computer keyboard screen server network file folder
 message email photo video camera light lamp chair bed kitchen bottle cup plate spoon knife fork bread milk water coffee tea sugar salt fruit flower leaf grass stone sand beach sea island boat ship train bus plane bicycle road
 station airport hotel shop market office bank money coin ticket price order product customer user friend family child baby mother father brother sister king queen prince castle tower church army war peace law country village
 farm field forest animal bird fish weather rain snow wind cloud sun moon star planet earth space rocket engine machine robot tool hammer nail box bag key lock wall floor roof fire ice metal iron gold silver glass wood plastic
 cotton shirt shoe hat coat dress ring watch mirror brush pen pencil map flag doctor medicine hospital blood heart brain hand foot head eye ear nose mouth tooth hair skin bone body health sport team player match goal race
 prize number word sentence language page chapter lesson question answer test exam project task meeting report plan idea dream memory secret problem reason result year month week day night morning evening hour minute second
 summer winter spring autumn birthday party gift cake candle dance film actor theatre museum painting colour shape circle square line point side corner end start middle half part piece group list row`);
export const VERBS = list(
  'run walk jump sing dance read write speak listen think learn teach buy sell build break open close start stop send bring carry catch throw push pull cut cook bake eat drink wash clean paint draw play win lose find search hide show tell ask call visit travel fly swim drive ride climb fall grow plant feed sleep wake laugh cry smile wait help save spend pay count measure fix mix move turn lift drop fill empty',
);
export const ADJECTIVES = list(
  'big small red blue green old new young good bad happy sad fast slow hot cold warm dark bright loud quiet strong weak rich poor clean dirty easy hard heavy light long short high low deep wide narrow round flat sharp soft smooth rough sweet bitter fresh dry wet empty full open closed quick brown lazy little tall tiny huge strange funny clever brave calm kind angry hungry thirsty tired busy free ready early late',
);
export const PEOPLE = list(
  'Einstein Newton Shakespeare Mozart Beethoven Napoleon Caesar Cleopatra Picasso Darwin Columbus Lincoln Gandhi Tesla Galileo Goethe Kant Plato Aristotle Bach Curie Turing Washington Obama Churchill Dickens Tolstoy Homer Madonna Elvis Messi Ronaldo Gates Jobs Musk',
);
export const TOPICS = [
  'photosynthesis',
  'gravity',
  'the French Revolution',
  'black holes',
  'quantum physics',
  'evolution',
  'the Roman Empire',
  'climate change',
  'democracy',
  'inflation',
  'DNA',
  'vaccines',
  'dinosaurs',
  'volcanoes',
  'the Cold War',
  'relativity',
  'blockchain',
  'bitcoin',
  'the stock market',
  'philosophy',
  'chess openings',
  'the human heart',
  'the moon landing',
  'the Great Wall',
  'Buddhism',
  'impressionism',
  'the periodic table',
  'machine learning',
  'neural networks',
  'cancer',
  'diabetes',
  'taxes',
  'world war two',
  'the bible',
  'football rules',
  'electricity',
  'magnets',
  'rainbows',
  'earthquakes',
  'the solar system',
  'atoms',
  'the big bang',
  'jazz',
  'opera',
  'economics',
  'ancient Egypt',
  'the ocean',
  'nutrition',
  'yoga',
  'marketing',
];
export const PROGRAMMING_LANGUAGES = [
  'Python',
  'JavaScript',
  'Java',
  'Rust',
  'Go',
  'C',
  'C++',
  'TypeScript',
  'Ruby',
  'PHP',
  'Swift',
  'SQL',
  'Bash',
  'Kotlin',
  'Haskell',
  'HTML',
  'CSS',
  'Perl',
  'Lua',
  'R',
];
export const HUMAN_LANGUAGES = [
  'German',
  'French',
  'Spanish',
  'Italian',
  'Chinese',
  'Japanese',
  'Russian',
  'Polish',
  'Dutch',
  'Arabic',
  'Latin',
  'Greek',
  'Hindi',
  'Portuguese',
  'Swedish',
  'Turkish',
  'Korean',
  'Czech',
];

const ONSETS = list(
  'b c d f g h j k l m n p r s t v w z br ch cl cr dr fl fr gl gr kl kr pl pr qu sc sh sk sl sm sn sp st str sw th tr tw wh y x',
);
const VOWELS = list('a e i o u a e i o u a e i o ai au ea ee ei ie io oo ou ue y ia oa');
const CODAS = list('n r l s t m k d x th nd rt lk ng ck sh ss ll ff mp nt rd rk ft gh st b g p v z');

/** A word that no one has ever used, or hardly anyone, in small letters. */
export function madeUpWord(dice: Dice, syllables = dice.pick([1, 2, 2, 2, 3, 3])): string {
  let word = '';
  for (let count = 0; count < syllables; count++) {
    if (count > 0 || dice.chance(0.8)) word += dice.pick(ONSETS);
    word += dice.pick(VOWELS);
    if (dice.chance(count === syllables - 1 ? 0.55 : 0.25)) word += dice.pick(CODAS);
  }
  if (word.length < 3) word += dice.pick(CODAS) + dice.pick(VOWELS);
  return isHeldOut(word) ? madeUpWord(dice) : word;
}

export function title(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Letters without sense. */
export function letters(dice: Dice, length: number): string {
  return Array.from({ length }, () => dice.pick([...'abcdefghijklmnopqrstuvwxyz'])).join('');
}

/** A name of one kind or another: mostly one that stands in no list. */
export function name(dice: Dice, known: readonly string[]): string {
  if (dice.chance(0.3)) return dice.pick(known);
  const single = () => (dice.chance(0.25) ? respell(dice, dice.pick(known)) : title(madeUpWord(dice)));
  const kind = dice.between(1, 20);
  if (kind === 1) return `${single()} ${single()}`;
  if (kind === 2) return `${single()}-${single()}`;
  if (kind <= 5) return single().toLowerCase();
  return single();
}

/** A known name with a letter or two changed. */
function respell(dice: Dice, known: string): string {
  const word = alter(dice, known);
  return isHeldOut(word) ? respell(dice, known) : word;
}

function alter(dice: Dice, known: string): string {
  const at = dice.between(1, known.length - 1);
  const letter = dice.pick([...'abcdefghiklmnoprstuvwyz']);
  const changed = known.slice(0, at) + letter + known.slice(at + (dice.chance(0.5) ? 1 : 0));
  return dice.chance(0.3)
    ? changed + dice.pick(['a', 'o', 'us', 'ia', 'ko', 'en', 'ix', 'el', 'ville', 'burg', 'ton', 'ska'])
    : changed;
}

/** A whole number of a random size. */
export function numberText(dice: Dice): string {
  const digits = dice.pick([1, 1, 2, 2, 2, 3, 3, 4, 5]);
  return String(dice.between(digits === 1 ? 0 : 10 ** (digits - 1), 10 ** digits - 1));
}

/** Some words, as people would type them to have them repeated or stored. */
export function words(dice: Dice, count: number): string {
  return Array.from({ length: count }, () => {
    const kind = dice.between(1, 10);
    if (kind <= 2) return madeUpWord(dice);
    if (kind === 3) return title(madeUpWord(dice));
    if (kind <= 5) return dice.pick(ADJECTIVES);
    if (kind <= 7) return dice.pick(VERBS);
    if (kind === 8)
      return dice.pick([
        'the',
        'a',
        'and',
        'my',
        'in',
        'on',
        'with',
        'to',
        'of',
        'is',
        'are',
        'was',
        'not',
        'very',
        'we',
        'you',
        'it',
        'this',
        'for',
        'from',
        'all',
        'one',
        'two',
        'at',
        'by',
        'under',
        'over',
      ]);
    return dice.pick(NOUNS);
  }).join(' ');
}
