import type { Dice } from './dice.ts';
import { isHeldOut } from './held-out.ts';

const list = (text: string): string[] => text.trim().split(/\s+/);

export const FIRST_NAMES =
  list(`Anna Ben Carla David Emma Frank Grace Henry Ida Jack Karen Leo Maria Nina Oscar Paul Rita Sam Tom Ursula Victor Wendy Alice Bob Charlie Diana Eric Fiona George Helen
 Ivan Julia Kevin Laura Mike Nora Olga Peter Rosa Steve Tina Vera Will Amy Brian Chris Dora Ella Fred Gina Hugo Iris James Kate Lisa Mark Nick Olive Pam Ray Sara Tim Zoe Adam Bella Clara Dan Eva Felix
 Hannah Jonas Klara Lena Max Nora Otto Paula Robert Sophie Theo Una Walter Yara John Jane Mary Linda Susan Daniel Michael Sarah Thomas Emily Lucas Mia Noah Liam Olivia Ava Ahmed Fatima Omar Layla Wei Li Chen
 Yuki Hiro Kenji Raj Arjun Anita Carlos Jose Miguel Lucia Pedro Joao Pierre Marie Luc Giulia Marco Luca Sven Lars Ingrid Olaf Igor Natasha Dmitri Kofi Amina Zain Ali
 Agnes Albert Alfred Amelia Andrea Angela Antonio Arthur Astrid Audrey Aurelia Barbara Beatrice Benedict Bernard Bertha Bjorn Brigitte Bruno Camilla Caroline Casper Catherine Cecilia Chandra Chiara Christopher Claudia
 Conrad Cordelia Cynthia Cyrus Dagmar Damian Deborah Dennis Dolores Dominic Dorothy Edgar Edith Eduardo Edwin Eleanor Elias Elizabeth Elvira Emmanuel Enrique Erica Ernest Esmeralda Esther Ethan Eugene Evelyn Farid Federico
 Florian Franziska Gabriel Geoffrey Gerald Giovanni Gloria Gordon Graham Gregory Gustavo Harold Harriet Heather Heinrich Hilda Horatio Howard Hubert Ibrahim Imogen Irene Isabella Ismail Jacqueline Jasmine Jeremy Joachim
 Josephine Joshua Judith Kareem Katarzyna Keiko Kimberly Konstantin Kristof Kwame Lakshmi Leonard Leopold Lorenzo Louise Ludwig Mabel Magdalena Malcolm Marguerite Margaret Martha Matilda Matthew Maximilian Mehmet Melissa Mikhail
 Miranda Mohammed Monica Nadia Nathaniel Nicholas Nigel Nikolai Norbert Octavia Ophelia Pablo Pamela Patricia Patrick Penelope Percival Priya Quentin Rachel Rafael Ramona Rashid Rebecca Reginald Ricardo Roberto Roderick Rodrigo Roxanne
 Rupert Ruth Salvador Samantha Sanjay Sebastian Sergei Shirley Sigrid Silvia Simon Solomon Stanislav Stefan Svetlana Sylvester Tabitha Takeshi Tamara Tatiana Theodore Tobias Tristan Valentina Vanessa Veronica Vikram Vincent
 Virginia Vladimir Wilhelm William Winifred Xavier Yasmin Yolanda Yusuf Zachary Zelda`);
export const CITIES =
  list(`London Paris Berlin Madrid Rome Vienna Munich Hamburg Cologne Zurich Geneva Brussels Amsterdam Dublin Lisbon Porto Athens Warsaw Prague Budapest Moscow Kiev Istanbul Cairo Lagos Nairobi
 Tokyo Kyoto Osaka Seoul Beijing Shanghai Delhi Mumbai Bangkok Hanoi Sydney Melbourne Auckland Toronto Montreal Vancouver Chicago Boston Seattle Denver Dallas Houston Miami Atlanta Phoenix Austin Detroit
 Lima Bogota Santiago Havana Caracas Quito Milan Naples Venice Turin Florence Lyon Nice Marseille Bern Basel Leipzig Dresden Bonn Oxford Cambridge York Leeds Glasgow Bristol Bath Stockholm Malmo Helsinki Tampere
 Aberdeen Accra Adelaide Algiers Almaty Amman Ankara Antwerp Asuncion Baghdad Baku Baltimore Bangalore Barcelona Belfast Belgrade Bergen Bilbao Birmingham Bishkek Bogor Bordeaux Brasilia Bratislava Brisbane Bucharest Bulawayo
 Calcutta Calgary Canberra Cardiff Cartagena Casablanca Charleston Chattanooga Chengdu Chennai Cincinnati Cleveland Copenhagen Cordoba Cracow Dakar Damascus Darwin Dhaka Dubai Durban Dusseldorf Edinburgh Eindhoven Faisalabad Frankfurt Gdansk
 Gibraltar Gothenburg Granada Guadalajara Guangzhou Guayaquil Halifax Hannover Hiroshima Honolulu Hyderabad Innsbruck Islamabad Jakarta Jerusalem Johannesburg Kampala Kansas Karachi Khartoum Kigali Kingston Kinshasa Krasnoyarsk Lausanne Liverpool
 Ljubljana Luxembourg Lusaka Managua Manchester Manila Medellin Memphis Milwaukee Minneapolis Minsk Mogadishu Monaco Monterrey Muscat Nagasaki Newcastle Nottingham Novosibirsk Nuremberg Odessa Palermo Pamplona Philadelphia
 Pittsburgh Plymouth Portland Pretoria Rabat Rangoon Riga Riyadh Sacramento Salzburg Samarkand Sapporo Sarajevo Seville Singapore Skopje Sofia Stuttgart Surabaya Tallinn Tashkent Tbilisi Tehran Thessaloniki Timbuktu Tirana Toulouse Trieste
 Tripoli Trondheim Tunis Ulaanbaatar Uppsala Utrecht Valencia Valparaiso Vilnius Wellington Winnipeg Wroclaw Yekaterinburg Yerevan Yokohama Zagreb`);
export const PLACES = [
  'New York',
  'San Francisco',
  'Los Angeles',
  'Las Vegas',
  'New Orleans',
  'Rio de Janeiro',
  'Buenos Aires',
  'Hong Kong',
  'Kuala Lumpur',
  'Cape Town',
  'Addis Ababa',
  'Tel Aviv',
  'Mexico City',
  'Salt Lake City',
  'Saint Petersburg',
  'Ho Chi Minh City',
  'Abu Dhabi',
  'San Diego',
  'Santa Cruz',
  'Port Louis',
];
export const COUNTRIES =
  list(`France Germany Spain Italy Austria Poland Russia China Japan India Brazil Mexico Canada Egypt Kenya Nigeria Norway Sweden Finland Denmark Greece Turkey Portugal Ireland Scotland Australia Chile Peru Cuba
 Hungary Romania Ukraine Belgium Switzerland Iceland Vietnam Thailand Korea Israel Iran Iraq Morocco America England Mongolia Argentina Colombia Indonesia Croatia Bolivia
 Afghanistan Albania Algeria Angola Armenia Azerbaijan Bahrain Bangladesh Barbados Bavaria Belarus Bhutan Botswana Brittany Bulgaria Cambodia Cameroon Catalonia Chad Cyprus Ecuador Estonia Ethiopia Fiji Gabon Georgia
 Ghana Greenland Guatemala Guinea Haiti Honduras Jamaica Jordan Kazakhstan Kuwait Kyrgyzstan Laos Latvia Lebanon Liberia Libya Lithuania Malawi Malaysia Malta Mauritius Moldova Mozambique Namibia Nepal Nicaragua Oman Pakistan Panama Paraguay
 Patagonia Philippines Provence Rwanda Samoa Senegal Serbia Siberia Sicily Slovakia Slovenia Somalia Sudan Suriname Syria Tajikistan Tanzania Tasmania Texas Tuscany Uganda Uruguay Uzbekistan Venezuela Wales Yemen Zambia Zimbabwe`);
export const COLOURS = list(
  'red blue green yellow black white purple orange pink brown grey silver gold turquoise violet beige crimson navy teal magenta lime maroon indigo olive scarlet amber cyan khaki lilac mauve ochre peach plum ruby sapphire emerald coral bronze copper charcoal ivory mustard burgundy lavender aquamarine chartreuse',
);
export const FOODS = list(
  'pizza pasta bread cheese apples rice soup salad chocolate sushi tacos noodles curry cake pancakes potatoes eggs fish ice-cream bananas burgers cookies toast honey beans mushrooms tomatoes grapes lemons carrots lasagne risotto goulash dumplings kebab paella croissants pretzels spinach broccoli cauliflower asparagus avocado pineapple strawberries raspberries cucumber zucchini aubergine lentils chickpeas hummus falafel omelette sandwiches waffles yoghurt porridge meatballs sausages schnitzel ramen burritos quesadillas gnocchi ravioli bratwurst sauerkraut tiramisu',
);
export const ANIMALS = list(
  'dog cat horse rabbit parrot hamster goldfish snake turtle mouse cow pig sheep duck goose lion tiger bear wolf fox elephant monkey whale dolphin shark eagle owl frog bee ant spider butterfly penguin kangaroo zebra giraffe camel hippopotamus rhinoceros crocodile chimpanzee ostrich pelican flamingo walrus leopard cheetah jaguar panther squirrel chipmunk beaver badger otter ferret weasel raccoon armadillo porcupine iguana chameleon salamander tortoise lobster octopus jellyfish dragonfly mosquito caterpillar pigeon sparrow swallow woodpecker peacock turkey buffalo llama alpaca donkey gorilla',
);
export const JOBS = [
  'teacher',
  'artist',
  'architect',
  'actor',
  'editor',
  'electrician',
  'accountant',
  'officer',
  'athlete',
  'inventor',
  'usher',
  'analyst',
  'optician',
  'author',
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
 summer winter spring autumn birthday party gift cake candle dance film actor theatre museum painting colour shape circle square line point side corner end start middle half part piece group list row
 anchor avalanche balcony bandage barrel basket battery blanket blueprint boulder bracelet bucket buckle cabinet calendar canoe canvas carpet cathedral cauldron chimney compass crystal cupboard curtain dashboard diamond dragon dungeon elevator
 envelope escalator feather fountain freezer furnace galaxy generator glacier goblet gadget harbour headphone helicopter helmet horizon jacket jungle kayak kettle ladder lantern laptop lighthouse magnet mattress microscope necklace newspaper orchestra
 oven package pancake parachute pavement pendulum pillow pipeline pyramid quiver radiator rucksack saddle satellite scarf scissors sculpture skeleton sofa spaceship stadium staircase submarine suitcase syringe tablet telescope thermometer toaster tractor
 treasure trumpet tunnel turbine umbrella vacuum valley violin volcano wardrobe warehouse waterfall wheelbarrow widget windmill workshop xylophone zeppelin`);
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
/** The numbers from 0 to 20, each at its own place. */
export const NUMBER_WORDS = list(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty`,
);

const REAL_WORDS = [NOUNS, VERBS, ADJECTIVES, FOODS, ANIMALS, JOBS, HOBBIES, COLOURS, FIRST_NAMES, CITIES, COUNTRIES]
  .flat()
  .map((word) => word.toLowerCase())
  .filter((word) => /^[a-z]{3,}$/.test(word));

/** Words and names with groups of letters that plain English words do not have. */
const UNUSUAL_WORDS =
  list(`abracadabra accordion acknowledge acrobatics adventure albatross algorithm alphabet amphibian anniversary anonymous anthropology apocalypse apothecary aqueduct archipelago architecture arithmetic aristocrat artichoke astronaut
 asymmetric atmosphere backgammon ballerina bandwidth bankruptcy barbecue baroque bibliography bizarre blacksmith boomerang boulevard bourgeois breakfast broadcast bureaucracy burgundy butterscotch buzzard calligraphy camouflage
 candlestick cappuccino caravan carburetor catastrophe ceiling champagne chandelier chaperone charlatan chauffeur cholesterol chrysanthemum cinematograph clockwork coffeehouse colonel commander conquistador conscience copyright
 cornucopia countryside craftsman crossword cryptography cuckoo curfew cyclone czarina daffodil daydream decathlon dehydrate deutschmark dichotomy dijon diphthong discotheque doppelganger downstream dumbbell dynamite earthquake
 eavesdrop eccentric eclipse ecosystem effervescent eiderdown electromagnet embankment encyclopedia entrepreneur enzyme epilogue equator espionage eucalyptus exhibition exquisite extravagant eyebrow facade fahrenheit farewell
 fanfare feng fiddlesticks fjord flabbergasted flowchart fluorescent foxtrot framework freundschaft frostbite fuchsia futuristic gargoyle gauntlet gazebo genghis geyser ghostwriter gingerbread gladiator gobbledygook gondola
 gorgonzola graffiti grandmother guacamole guerrilla guillotine gymnasium gypsum haberdasher hallelujah handkerchief haphazard haystack heirloom hemisphere hieroglyph hippodrome hodgepodge hollyhock homunculus hullabaloo hurricane
 hydraulic hypothesis iceberg idiosyncrasy igloo illustrious incognito infrared inkwell insomnia isthmus jabberwock jacuzzi jalapeno jambalaya jeopardy jigsaw jodhpurs jubilee judgment juggernaut juxtapose kaleidoscope karaoke
 katana kerfuffle keyhole kindergarten kiosk kitchenette knapsack knighthood knuckle kohlrabi kookaburra labyrinth lackadaisical landscape laryngitis leapfrog legwarmer leitmotif leviathan lieutenant lightweight limousine liverwurst
 llanfair logarithm lullaby luxurious lymph macchiato mahogany malfunction mandolin mannequin matchbox mayonnaise mezzanine milkshake minotaur misspell mnemonic molybdenum monkfish monsoon mortgage moustache mozzarella mulligatawny
 mythology nachtmusik narwhal nefarious neighbour nightingale nincompoop nomenclature nostalgia notwithstanding nougat oblivion obsidian odyssey ombudsman omnibus onomatopoeia orangutan orthodox oscilloscope outrageous overwhelm
 oxygen pajamas palindrome panache papyrus paradox paraphernalia passport pastiche patchwork pawnbroker pemmican peppermint phalanx pharaoh phenomenon phlegm phoenix piccolo pickpocket plankton plaintiff playwright plethora
 pneumonia polygraph pomegranate portmanteau psychology pterodactyl puddle pulchritude puzzle quagmire qualm quartz quicksilver quinoa quixotic quotient ragtime rambunctious rapscallion rauschen raven rehearsal renaissance
 rendezvous rhapsody rhubarb rhythm ricochet rigmarole rowdy rucksack rutabaga sabotage saffron sandcastle sarcophagus sassafras saxophone scaffold scarecrow schadenfreude schedule scherzo schooner scrumptious seaweed seismograph
 shamrock shipwreck shrapnel silhouette skirmish skullduggery slapstick sleuth smorgasbord snowflake soliloquy sombrero souffle spaghetti sphinx splendid spreadsheet squabble squeegee staccato stethoscope stronghold subterfuge
 suffrage sycamore symphony synagogue syzygy tachometer tambourine tangerine tarantula tchotchke telegraph tempestuous thermodynamic thistle thoroughfare throughput thunderbolt topsy tortilla toxicology tranquil trapeze trebuchet
 triumvirate troubadour tsunami turquoise turbulence twelfth ubiquitous umlaut unanimous unbeknownst undergrowth upheaval usurp utopia vaccinate vanquish vaudeville vehement ventriloquist verandah vichyssoise vignette villainous
 virtuoso vivacious voodoo vulcanize waffle wanderlust watchdog weltschmerz whirlwind whiskey wildebeest windshield witchcraft wolfram woodwind wraith wrinkle wunderkind xenophobe xerography yachtsman yearbook yggdrasil yodel
 youngster yttrium zealous zeitgeist zenith zigzag zirconium zodiac zucchini zwieback aachen aleksandr amadeus archimedes bartholomew beauregard boadicea boudreaux bronislaw cadwallader caernarfon clytemnestra czeslaw djibouti
 dostoyevsky dzhokhar eyjafjord fitzgerald gwendolyn hildegard hrothgar huckleberry joaquin kierkegaard kyrgyz llewellyn macpherson mbappe mcdonald mephisto montgomery mstislav nkrumah nebuchadnezzar oconnor papadopoulos phnompenh
 qatar quetzalcoatl rumpelstiltskin schwarzenegger siobhan srebrenica szczecin tchaikovsky thorvald tutankhamun vercingetorix vsevolod wojciech xochitl ypsilanti zbigniew zoroaster zsuzsanna andromeda bhagwat chihuahua dhritarashtra
 fujiyama gandalf hokkaido ijsselmeer kilimanjaro krakatoa massachusetts mississippi nyiragongo okefenokee popocatepetl saskatchewan titicaca`);

/** What a patchwork is cut from; the unusual words come as often as the others. */
const PATCHES = [...REAL_WORDS, ...UNUSUAL_WORDS, ...UNUSUAL_WORDS];

const ONSETS = list(
  'b c d f g h j k l m n p r s t v w z br ch cl cr dr fl fr gl gr kl kr pl pr qu sc sh sk sl sm sn sp st str sw th tr tw wh y x',
);
const VOWELS = list('a e i o u a e i o u a e i o ai au ea ee ei ie io oo ou ue y ia oa');
const CODAS = list('n r l s t m k d x th nd rt lk ng ck sh ss ll ff mp nt rd rk ft gh st b g p v z');

/** A word that no one has ever used, or hardly anyone, in small letters. */
export function madeUpWord(dice: Dice, syllables = dice.pick([1, 2, 2, 2, 3, 3])): string {
  const way = dice.between(1, 20);
  if (syllables > 1 && way <= 8 && dice.parts.length > 0) return assembled(dice);
  if (syllables > 1 && way <= 12) return patchwork(dice);
  if (syllables > 1 && way <= 15) return blend(dice);
  let word = '';
  for (let count = 0; count < syllables; count++) {
    if (count > 0 || dice.chance(0.8)) word += dice.pick(ONSETS);
    word += dice.pick(VOWELS);
    if (dice.chance(count === syllables - 1 ? 0.55 : 0.25)) word += dice.pick(CODAS);
  }
  if (word.length < 3) word += dice.pick(CODAS) + dice.pick(VOWELS);
  return isHeldOut(word) ? madeUpWord(dice) : word;
}

/** The beginning of one word and the end of another: letters as English has them. */
function blend(dice: Dice): string {
  const [first, second] = [dice.pick(REAL_WORDS), dice.pick(REAL_WORDS)];
  const word =
    first.slice(0, dice.between(2, Math.min(5, first.length))) +
    second.slice(-dice.between(2, Math.min(5, second.length)));
  return isHeldOut(word) ? blend(dice) : word;
}

/** Given parts, one after the other. */
function assembled(dice: Dice): string {
  const word = Array.from({ length: dice.pick([2, 2, 3]) }, () => dice.pick(dice.parts)).join('');
  return isHeldOut(word) ? assembled(dice) : word;
}

/** Slices from anywhere in words, so that any letters may stand side by side. */
function patchwork(dice: Dice): string {
  const slices = Array.from({ length: dice.pick([2, 2, 2, 3]) }, () => {
    const from = dice.pick(PATCHES);
    const length = Math.min(dice.between(2, 5), from.length);
    const at = dice.between(0, from.length - length);
    return from.slice(at, at + length);
  });
  const word = slices.join('');
  return isHeldOut(word) ? patchwork(dice) : word;
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
  if (known === CITIES && dice.chance(0.05)) return dice.pick(PLACES);
  if (dice.chance(0.3)) return dice.pick(known);
  const single = () => (dice.chance(0.25) ? respell(dice, dice.pick(known)) : title(madeUpWord(dice)));
  const kind = dice.between(1, 20);
  if (kind <= 2) return `${single()} ${single()}`;
  if (kind === 3) return `${single()}-${single()}`;
  if (kind <= 6) return single().toLowerCase();
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
